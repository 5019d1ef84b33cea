"""Bank statements: own accounts, the import of files, and the matching of their lines.

A match books nothing: it says which record two people approved is the one on the statement. Where
there is none yet, a record is proposed from the line, and another person approves it as always.
"""

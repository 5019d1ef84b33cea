#!/usr/bin/env python
"""Django's command line, with the embedded database started for the command where none is given."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.local")
    from config.local.commandline import run

    run(sys.argv)


if __name__ == "__main__":
    main()

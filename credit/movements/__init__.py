"""The movements of all wallets of an organisation, with the records they are about."""

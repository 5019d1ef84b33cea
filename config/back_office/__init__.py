"""Cross-app parts of the back office: site, sign-in, roles, navigation, dashboard and help."""

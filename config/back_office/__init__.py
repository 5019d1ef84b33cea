"""What spans apps in the admin: site, sign-in pages, roles, navigation, dashboard and help."""

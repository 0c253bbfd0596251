"""The web application in which people judge items: `server.create_app` makes it."""

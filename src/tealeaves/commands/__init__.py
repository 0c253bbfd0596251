"""The sub-commands, a file each; ``tealeaves.cli`` imports the one that is called."""

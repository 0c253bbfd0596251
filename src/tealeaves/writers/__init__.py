"""Writers of foreign formats, one file each."""

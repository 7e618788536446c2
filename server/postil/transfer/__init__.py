"""Knowledge in and out: export, import, copies."""

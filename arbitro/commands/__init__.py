"""The commands, one a module; `arbitro.cli` imports a module when its command is called."""

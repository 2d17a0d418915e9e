"""How money is sent: one module or folder per rail, all behind ``chains.rails.base.Rail``."""

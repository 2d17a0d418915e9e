"""What routes promised and what came of it: counted day by day, shown to anybody, learned from after a replay."""

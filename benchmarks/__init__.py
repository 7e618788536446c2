"""What Postil costs, as ratios within one run: wall-clock figures differ by machine."""

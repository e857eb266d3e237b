"""From Python: functions, classes and their arguments."""

"""What a citation names in a catalogue that lists nothing else: standards, software, models."""

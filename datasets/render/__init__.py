"""Training pictures: cards on tables as a bad camera in poor light sees them, with exact labels."""

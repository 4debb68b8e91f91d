"""Films of slaps on a pile of cards, as a camera above the table sees them, with exact ground truth.

`case` says what happens in a film and draws it from a seed, `course` gives every card and hand its motion in
continuous time, `room` furnishes table, light and camera, `hands` the people, `exposure` draws what the sensor gathers
while its shutter is open, `truth` says what the film shows and what the rules say of it, `write` puts it on disk.
"""

"""Films of slaps on a pile of cards, as a camera above the table sees them, with exact ground truth.

`case` says what happens in a film; `draw` and `spit` draw it from a seed. `stage` puts it on a table: `course` gives
every card and hand its motion in continuous time, `room` furnishes table, light and camera, `hands` the people.
`exposure` draws what the sensor gathers while its shutter is open, from `layers`; `truth` says what a film shows and
what the rules say of it, `write` puts it on disk, and `suite` has the films that the referee is measured on.
"""

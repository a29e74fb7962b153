"""Drawing trainings: seeded streams, the drawing loop, pilots, engines and stores."""

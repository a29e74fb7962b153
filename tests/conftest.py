"""Settings of every test."""

from hypothesis import HealthCheck, settings

# A busy machine is no failure, and the same examples are tried on every machine. To look further:
# pytest --hypothesis-profile explore
settings.register_profile("same", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("same"), derandomize=False, max_examples=1000)
settings.load_profile("same")

"""Words that every app uses: money, errors, states, clocks. Holds no merchant's data."""

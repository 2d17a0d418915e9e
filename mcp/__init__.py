"""The agents' door. The folder hides the package of that name: this project never imports an agent SDK."""

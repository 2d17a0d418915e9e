"""The tools, each a few lines over the services that REST calls too."""

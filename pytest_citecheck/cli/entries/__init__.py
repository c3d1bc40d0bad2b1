"""Commands about the entries of files of references: they run the plugin's engine in this process, without pytest's run."""

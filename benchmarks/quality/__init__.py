"""Does recall find the right thing: the measures, the data's loaders, ours beside others."""

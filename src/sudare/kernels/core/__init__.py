"""What all kernels share: compilation and its cache, group rules, blocks, sorting, random words."""

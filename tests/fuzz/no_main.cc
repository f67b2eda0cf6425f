// libFuzzer brings main(); everything else is in the library of the target.

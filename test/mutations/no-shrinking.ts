import fc from 'fast-check';

// Only whether a test fails matters here, not the smallest article that makes it fail.
fc.configureGlobal({ endOnFailure: true });

// Loaded by the worker of Temporal's SDK by its path, hence CommonJS. It turns messages and stack traces of failures
// into payloads, which the codec encrypts.
const { DefaultFailureConverter } = require('@temporalio/common');

exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

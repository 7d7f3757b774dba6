// The failure converter of workers that encrypt: it turns messages and stack traces of failures into payloads, which the
// codec encrypts. CommonJS, because the worker of Temporal's SDK loads it by its path.
const { DefaultFailureConverter } = require('@temporalio/common');

exports.failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });

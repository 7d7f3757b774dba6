/** What is known of a request to a bucket. */
interface Asked {
  readonly method: string;
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** S3's name of the operation that a request asks for, as in its documentation, policies and logs. */
export function operationOf({ method, key = '', query = {}, headers = {} }: Asked): string {
  if (method === 'PUT' && 'uploadId' in query) return 'UploadPart';
  if (method === 'PUT') return 'x-amz-copy-source' in headers ? 'CopyObject' : 'PutObject';
  if (method === 'POST') return 'uploads' in query ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'DELETE') return 'uploadId' in query ? 'AbortMultipartUpload' : 'DeleteObject';
  if (method === 'HEAD') return 'HeadObject';
  if (key !== '') return 'GetObject';
  return 'uploads' in query ? 'ListMultipartUploads' : 'ListObjectsV2';
}

/** The operation with the object or prefix that it is about, for messages: `PutObject lines-0a1b2c3d4e/0000/7-speech-1.mp3`. */
export function asked(operation: string, { key, query = {} }: Asked): string {
  return [operation, key ?? query['prefix'] ?? ''].join(' ').trimEnd();
}

/** A request to a bucket; it may be sent more than once. */
export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The object's key, with the prefix. Default: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: Uint8Array;
  /** Hex hash of the body, if it is known. */
  readonly sha256?: string;
  /** The root element of S3's answer. Default: the answer is none in XML. */
  readonly root?: string;
  /** Whether the server may take long. Default: false. */
  readonly isSlow?: boolean;
  /** Statuses, and codes of S3, that are answers, besides 2xx. Default: none. */
  readonly accepts?: readonly (number | string)[];
  /** How often the server may answer that it failed before {@link ServerFails} is thrown. Default: it is asked on. */
  readonly tries?: number;
}

/** What S3's name of an operation follows from. */
type Asked = Pick<BucketRequest, 'method' | 'key' | 'query' | 'headers'>;

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

/**
 * The operation with the object or prefix that it is about, for messages: `PutObject
 * lines-0a1b2c3d4e/0000/7-speech-1.mp3`.
 */
export function asked(operation: string, { key, query = {} }: Asked): string {
  return [operation, key ?? query['prefix'] ?? ''].join(' ').trimEnd();
}

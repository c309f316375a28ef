import { lazy, Suspense } from 'react';
import { PartNotLoaded } from '../notices.js';
import type { DecodedProps } from './decoded-value.js';

/** Loaded on demand, because few values are base64. */
const DecodedValue = lazy(() => import('./decoded-value.js').catch(() => ({ default: PartNotLoaded })));

/** Most values have a blank, or letters of one case only. */
const MAY_BE_BASE64 = /^(?:data:|(?=.*[a-z])(?=.*[A-Z])[\w+/=\r\n-]{8,}$)/;

/** A second reading, below a value that is a text in base64. Nothing below others. */
export const Decoded = (props: DecodedProps) =>
  MAY_BE_BASE64.test(props.text) && (
    <Suspense>
      <DecodedValue {...props} />
    </Suspense>
  );

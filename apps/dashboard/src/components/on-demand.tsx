import { lazy, Suspense, useState, type ComponentType } from 'react';
import { PartNotLoaded } from './notices.js';

export interface Preloaded {
  preload: () => Promise<void>;
  isLoaded: () => boolean;
}

/**
 * A part of a page whose code is loaded on demand. Once it is loaded, it renders at once; `lazy` alone would leave it out
 * first, and then move what is below it.
 */
export function onDemand<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> & Preloaded {
  let loaded: ComponentType<Props> | null = null;
  const Later = lazy<ComponentType<Props>>(() => load().catch(() => ({ default: PartNotLoaded })));
  const Part = (props: Props) => {
    // It stays the same while it is on the screen, so that it keeps its state.
    const [Now] = useState(() => loaded ?? Later);
    return (
      <Suspense>
        <Now {...props} />
      </Suspense>
    );
  };
  return Object.assign(Part, {
    preload: async () => {
      loaded = (await load()).default;
    },
    isLoaded: () => loaded !== null,
  });
}

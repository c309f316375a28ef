import { Component, type ReactNode } from 'react';
import { Crashed, PageNotLoaded, PageNotLoadedNotice } from './page-not-loaded.js';

interface Props {
  children: ReactNode;
  /** The current page. When it changes, the error is cleared. */
  resetKey?: string;
  /** Shown instead of the error, if the page can do without this part. */
  fallback?: ReactNode;
}

interface State {
  error: unknown;
  failed: boolean;
  key: string | undefined;
}

/** Replaces a page that threw an error or whose code could not be loaded. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false, key: this.props.resetKey };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, failed: true };
  }

  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.resetKey === state.key ? null : { key: props.resetKey, failed: false, error: null };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    if (this.props.fallback !== undefined) return this.props.fallback;
    if (this.state.error instanceof PageNotLoaded) return <PageNotLoadedNotice />;
    return <Crashed error={this.state.error} />;
  }
}

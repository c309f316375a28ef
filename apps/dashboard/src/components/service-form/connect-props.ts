import type { Connect } from './use-connect.js';

export interface ConnectProps {
  submitLabel: string;
  connect: Connect;
}

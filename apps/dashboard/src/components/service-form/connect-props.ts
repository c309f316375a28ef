import type { NewService } from '../../lib/create-service.js';

export interface ConnectProps {
  submitLabel: string;
  busy: boolean;
  onSubmit: (service: NewService) => void;
}

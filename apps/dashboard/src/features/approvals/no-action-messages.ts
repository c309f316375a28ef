export const noActionMessages = {
  title: 'Request not found',
  text: 'It may have been removed, or it belongs to another workspace.',
};

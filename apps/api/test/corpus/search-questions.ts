/**
 * Questions that a user or a model would ask in plain words, and the operations that answer them. All listed operations
 * are equally right.
 */
export type Question = [words: string, ...answers: string[]];

/**
 * The questions were written from the paths, before the ranking existed and without the summaries. Do not fit them to
 * the ranking.
 */
export const QUESTIONS: Record<'GitHub' | 'Figma' | 'Netlify' | 'Directus', Question[]> = {
  GitHub: [
    ['delete a repository', 'DELETE /repos/{owner}/{repo}'],
    ['close an issue', 'PATCH /repos/{owner}/{repo}/issues/{issue_number}'],
    ['merge a pull request', 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge'],
    ['open an issue', 'POST /repos/{owner}/{repo}/issues'],
    ['comment on an issue', 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments'],
    ['list my repositories', 'GET /user/repos'],
    ['create a new repository', 'POST /user/repos', 'POST /orgs/{org}/repos'],
    ['make a release', 'POST /repos/{owner}/{repo}/releases'],
    ['read a file from a repository', 'GET /repos/{owner}/{repo}/contents/{path}'],
    ['star a repository', 'PUT /user/starred/{owner}/{repo}'],
    ['add a collaborator to a repository', 'PUT /repos/{owner}/{repo}/collaborators/{username}'],
    ['invite someone to an organization', 'POST /orgs/{org}/invitations', 'PUT /orgs/{org}/memberships/{username}'],
    [
      're-run a failed workflow',
      'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs',
      'POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun',
    ],
    ['trigger a workflow', 'POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches'],
    ['request a review on a pull request', 'POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers'],
    ['search code', 'GET /search/code'],
    ['add labels to an issue', 'POST /repos/{owner}/{repo}/issues/{issue_number}/labels'],
    ['fork a repository', 'POST /repos/{owner}/{repo}/forks'],
    ['show my profile', 'GET /user'],
    ['transfer a repository to another owner', 'POST /repos/{owner}/{repo}/transfer'],
    ['protect a branch', 'PUT /repos/{owner}/{repo}/branches/{branch}/protection'],
  ],
  Figma: [
    ['leave a comment on a file', 'POST /v1/files/{file_key}/comments'],
    ['delete a comment', 'DELETE /v1/files/{file_key}/comments/{comment_id}'],
    ['export a frame as an image', 'GET /v1/images/{file_key}'],
    ['list the projects of a team', 'GET /v1/teams/{team_id}/projects'],
    ['version history of a file', 'GET /v1/files/{file_key}/versions'],
    ['register a webhook', 'POST /v2/webhooks'],
    [
      'read the variables of a file',
      'GET /v1/files/{file_key}/variables/local',
      'GET /v1/files/{file_key}/variables/published',
    ],
    ['which components does a team have', 'GET /v1/teams/{team_id}/components'],
  ],
  Netlify: [
    ['delete a site', 'DELETE /sites/{site_id}'],
    [
      'roll back to the previous deploy',
      'PUT /sites/{site_id}/rollback',
      'POST /sites/{site_id}/deploys/{deploy_id}/restore',
    ],
    ['cancel a deploy', 'POST /deploys/{deploy_id}/cancel'],
    [
      'set an environment variable',
      'POST /accounts/{account_id}/env',
      'PUT /accounts/{account_id}/env/{key}',
      'PATCH /accounts/{account_id}/env/{key}',
    ],
    ['add a DNS record', 'POST /dns_zones/{zone_id}/dns_records'],
    ['invite a member to the team', 'POST /{account_slug}/members'],
    ['clear the cache', 'POST /purge'],
    ['start a new build', 'POST /sites/{site_id}/builds', 'POST /builds/{build_id}/start'],
    ['show form submissions', 'GET /forms/{form_id}/submissions', 'GET /sites/{site_id}/submissions'],
    ['remove a build hook', 'DELETE /sites/{site_id}/build_hooks/{id}'],
  ],
  Directus: [
    ['log in', 'POST /auth/login'],
    ['reset a forgotten password', 'POST /auth/password/request', 'POST /auth/password/reset'],
    ['upload a file', 'POST /files'],
    ['delete a user', 'DELETE /users/{id}', 'DELETE /users'],
    ['invite a user', 'POST /users/invite'],
    ['update an item', 'PATCH /items/{collection}/{id}', 'PATCH /items/{collection}'],
    ['create a collection', 'POST /collections'],
    ['add a field to a collection', 'POST /fields/{collection}'],
    ['change the project settings', 'PATCH /settings'],
    ['check whether the server is healthy', 'GET /server/health'],
    ['turn on two-factor authentication', 'POST /users/me/tfa/enable', 'POST /users/me/tfa/generate'],
  ],
};

import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Reads the file by its path, because a package need not export its files. */
const read = (file: string): string =>
  readFileSync(new URL(`../../../../node_modules/${file}`, import.meta.url), 'utf8');

/** Real descriptions of public APIs, as their owners publish them on npm. */
export const DESCRIPTIONS: Record<'GitHub' | 'Figma' | 'Netlify' | 'Directus', () => string> = {
  GitHub: () => JSON.stringify({ openapi: '3.0.3', paths: declaredPaths(read('@octokit/openapi-types/types.d.ts')) }),
  Figma: () => read('@figma/rest-api-spec/openapi/openapi.yaml'),
  Netlify: () => read('@netlify/open-api/dist/swagger.json'),
  Directus: () => read('@directus/openapi/dist/oas.json'),
};

interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
}

/**
 * Reads the operations from the declarations that `openapi-typescript` generated. They have the same operations, names
 * and texts as GitHub's own description, whose package takes 400 MB.
 */
function declaredPaths(declarations: string): Record<string, Record<string, Operation>> {
  const source = ts.createSourceFile('types.d.ts', declarations, ts.ScriptTarget.Latest, true);
  const paths = source.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'paths');
  return Object.fromEntries(
    properties(paths!).map((path) => [
      propertyName(path),
      Object.fromEntries(
        properties(path.type as ts.TypeLiteralNode)
          // `put?: never` means that there is none.
          .filter(({ questionToken }) => !questionToken)
          .map((method) => [propertyName(method), declaredOperation(method)]),
      ),
    ]),
  );
}

/** `get: operations["meta/root"]`, with the summary and the description in a comment. */
function declaredOperation(method: ts.PropertySignature): Operation {
  const [comment] = ts.getJSDocCommentsAndTags(method).filter(ts.isJSDoc);
  const description = comment?.tags?.find(({ tagName }) => tagName.text === 'description');
  const { indexType } = method.type as ts.IndexedAccessTypeNode;
  return {
    operationId: ((indexType as ts.LiteralTypeNode).literal as ts.StringLiteral).text,
    summary: ts.getTextOfJSDocComment(comment?.comment),
    description: ts.getTextOfJSDocComment(description?.comment),
  };
}

const properties = ({ members }: ts.InterfaceDeclaration | ts.TypeLiteralNode): ts.PropertySignature[] =>
  [...members].filter(ts.isPropertySignature);
const propertyName = ({ name }: ts.PropertySignature): string => (name as ts.StringLiteral | ts.Identifier).text;

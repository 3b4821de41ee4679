/** Prompts as chains of blocks. */
package dev.ebb.router.prompt;

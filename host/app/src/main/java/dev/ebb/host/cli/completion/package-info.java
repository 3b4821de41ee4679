/** Scripts with which a shell completes Ebb's commands. Depends on picocli only. */
package dev.ebb.host.cli.completion;

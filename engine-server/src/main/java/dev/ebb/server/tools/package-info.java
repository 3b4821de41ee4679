/** Function calling: how a chat template describes functions, and how a model calls them. */
package dev.ebb.server.tools;

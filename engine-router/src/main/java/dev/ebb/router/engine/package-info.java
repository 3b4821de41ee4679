/** Connections to engines, and their health. */
package dev.ebb.router.engine;

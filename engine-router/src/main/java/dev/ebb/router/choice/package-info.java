/** Which engine gets a request. */
package dev.ebb.router.choice;

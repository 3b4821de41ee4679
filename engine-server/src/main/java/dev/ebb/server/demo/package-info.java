/** Models with random weights, for trials and measurements without a download. */
package dev.ebb.server.demo;

/** What an operator should do, decided once for the dashboard, the command line and alerts. */
package dev.ebb.host.admin.advice;

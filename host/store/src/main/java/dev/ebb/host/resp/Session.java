package dev.ebb.host.resp;

import java.net.SocketAddress;

/** The state of one client. Written by its own event loop, read by others. */
final class Session {

  final long id;
  final SocketAddress remote;
  final SocketAddress local;
  final long sinceNanos = System.nanoTime();
  private volatile boolean authenticated;
  private volatile int protocol = 2;
  private volatile String name = "";
  private volatile String library = "";
  private volatile String libraryVersion = "";
  private volatile String lastCommand = "NULL";
  private volatile long lastNanos = sinceNanos;
  private boolean leaving;

  Session(long id, SocketAddress remote, SocketAddress local, boolean authenticated) {
    this.id = id;
    this.remote = remote;
    this.local = local;
    this.authenticated = authenticated;
  }

  boolean authenticated() {
    return authenticated;
  }

  void authenticate() {
    authenticated = true;
  }

  int protocol() {
    return protocol;
  }

  void protocol(int version) {
    protocol = version;
  }

  String name() {
    return name;
  }

  void name(String given) {
    name = given;
  }

  void library(String given) {
    library = given;
  }

  void libraryVersion(String given) {
    libraryVersion = given;
  }

  void ran(String command) {
    lastCommand = command;
    lastNanos = System.nanoTime();
  }

  /** Marks the connection to close once its replies are sent. */
  void leave() {
    leaving = true;
  }

  boolean leaving() {
    return leaving;
  }

  String line() {
    long now = System.nanoTime();
    return "id=%d addr=%s laddr=%s fd=0 name=%s age=%d idle=%d flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 user=default redir=-1 resp=%d lib-name=%s lib-ver=%s cmd=%s"
        .formatted(
            id,
            address(remote),
            address(local),
            name,
            (now - sinceNanos) / 1_000_000_000,
            (now - lastNanos) / 1_000_000_000,
            protocol,
            library,
            libraryVersion,
            lastCommand);
  }

  private static String address(SocketAddress address) {
    String text = String.valueOf(address);
    return text.substring(text.indexOf('/') + 1);
  }
}

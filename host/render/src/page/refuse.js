// Runs before the scripts of every document and frame. It tells what the page tries beside requests
// and takes away what a crawler never grants. None of it is relied on: the browser has no network.
(() => {
  const tell = globalThis["BINDING"];
  if (!tell) return;
  delete globalThis["BINDING"];
  const { stringify } = JSON;
  const { construct } = Reflect;
  const refuse = (reason, detail) => {
    try {
      tell(stringify([reason, `${detail ?? ""}`.slice(0, 300)]));
    } catch {}
  };
  const denied = () => new DOMException("Permission denied", "NotAllowedError");
  const resolve = (url) => {
    try {
      return new URL(url, document.baseURI).href;
    } catch {
      return url;
    }
  };
  // They are made and reach nothing: pages are prepared for sockets that fail.
  for (const [name, reason] of [
    ["WebSocket", "socket"],
    ["WebTransport", "socket"],
    ["Worker", "worker"],
    ["SharedWorker", "worker"],
  ]) {
    const original = globalThis[name];
    if (!original) continue;
    globalThis[name] = new Proxy(original, {
      construct(target, values, self) {
        refuse(reason, resolve(values[0]));
        return construct(target, values, self);
      },
    });
  }
  if (globalThis.RTCPeerConnection) {
    globalThis.RTCPeerConnection = globalThis.webkitRTCPeerConnection = class RTCPeerConnection {
      constructor() {
        refuse("socket", "RTCPeerConnection");
        throw denied();
      }
    };
  }
  globalThis.open = (url) => {
    refuse("window", resolve(url));
    return null;
  };
  globalThis.alert = (text) => refuse("dialog", text);
  globalThis.confirm = (text) => {
    refuse("dialog", text);
    return false;
  };
  globalThis.prompt = (text) => {
    refuse("dialog", text);
    return null;
  };
  globalThis.print = () => refuse("dialog", "print");
  const replace = (owner, name, method) => {
    if (owner && name in owner) {
      Object.defineProperty(owner, name, { value: method, writable: true, configurable: true });
    }
  };
  const reject = (owner, name, reason, label) =>
    replace(owner, name, (first) => {
      refuse(reason, label ?? resolve(first));
      return Promise.reject(denied());
    });
  reject(globalThis.ServiceWorkerContainer?.prototype, "register", "worker");
  reject(globalThis.MediaDevices?.prototype, "getUserMedia", "permission", "camera or microphone");
  reject(globalThis.MediaDevices?.prototype, "getDisplayMedia", "permission", "screen");
  reject(globalThis.Clipboard?.prototype, "readText", "permission", "clipboard");
  reject(globalThis.Navigator?.prototype, "requestMIDIAccess", "permission", "MIDI");
  replace(globalThis.Notification, "requestPermission", (done) => {
    refuse("permission", "notifications");
    done?.("denied");
    return Promise.resolve("denied");
  });
  for (const name of ["getCurrentPosition", "watchPosition"]) {
    replace(globalThis.Geolocation?.prototype, name, (done, failed) => {
      refuse("permission", "position");
      setTimeout(() => failed?.({ code: 1, message: "User denied Geolocation" }), 0);
      return 0;
    });
  }
})();

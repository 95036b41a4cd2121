ObjC.import('AppKit');
(function () {
  var items = $.NSPasteboard.generalPasteboard.pasteboardItems;
  var out = [];
  for (var i = 0; i < items.count; i++) {
    var text = items.objectAtIndex(i).stringForType('public.file-url');
    if (!text || text.isNil && text.isNil()) continue;
    var url = $.NSURL.URLWithString(text);
    if (url.isNil()) continue;
    var path = url.filePathURL; // file:///.file/id=… becomes a real path
    out.push(ObjC.unwrap((path.isNil() ? url : path).absoluteString));
  }
  return out.join('\n');
})();

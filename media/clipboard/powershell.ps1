$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
function Say($kind, [byte[]]$bytes) { [Console]::Out.WriteLine($kind + ' ' + [Convert]::ToBase64String($bytes)) }
try {
  Add-Type -AssemblyName System.Windows.Forms, System.Drawing
  $board = [System.Windows.Forms.Clipboard]
  $utf8 = New-Object System.Text.UTF8Encoding($false)
  $files = $board::GetFileDropList()
  if ($files.Count -gt 0) { Say 'files' ($utf8.GetBytes(($files -join "`n"))) }
  $data = $board::GetDataObject()
  $png = $null
  if ($data -and $data.GetDataPresent('PNG')) { $png = $data.GetData('PNG') }
  if ($png -is [System.IO.MemoryStream]) { Say 'image/png' ($png.ToArray()) }
  else {
    $image = $board::GetImage()
    if ($image) {
      $stream = New-Object System.IO.MemoryStream
      $image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)
      Say 'image/png' ($stream.ToArray())
    }
  }
  if ($board::ContainsText()) { Say 'text' ($utf8.GetBytes($board::GetText())) }
  [Console]::Out.WriteLine('end')
} catch {
  [Console]::Error.WriteLine($_.Exception.Message)
  exit 1
}

$ErrorActionPreference = 'Stop'
Add-Type -AssemblyName System.Windows.Forms, System.Drawing
function Say($kind, [byte[]]$bytes) { [Console]::Out.WriteLine($kind + ' ' + [Convert]::ToBase64String($bytes)) }
$utf8 = New-Object System.Text.UTF8Encoding($false)
$files = [System.Windows.Forms.Clipboard]::GetFileDropList()
if ($files.Count -gt 0) { Say 'files' $utf8.GetBytes(($files -join "`n")) }
$data = [System.Windows.Forms.Clipboard]::GetDataObject()
$png = $null
if ($data -and $data.GetDataPresent('PNG')) { $png = $data.GetData('PNG') }
if ($png -is [System.IO.MemoryStream]) { Say 'image/png' $png.ToArray() }
else {
  $image = [System.Windows.Forms.Clipboard]::GetImage()
  if ($image) {
    $stream = New-Object System.IO.MemoryStream
    $image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)
    Say 'image/png' $stream.ToArray()
  }
}
if ([System.Windows.Forms.Clipboard]::ContainsText()) { Say 'text' $utf8.GetBytes([System.Windows.Forms.Clipboard]::GetText()) }
[Console]::Out.WriteLine('end')
